module recoup

go 1.26
