package shards

// BucketInSQL is how PostgreSQL reckons a bucket.
const BucketInSQL = bucketInSQL
