import { defineConfig } from "@hey-api/openapi-ts";

// How src/api is made: npm run generate.
export default defineConfig({
  input: "../openapi.json",
  output: { path: "src/api", importFileExtension: ".js" },
  plugins: [
    { name: "@hey-api/client-fetch", throwOnError: true },
    "@hey-api/typescript",
    { name: "@hey-api/sdk", responseStyle: "data", operations: { strategy: "single", containerName: "Operations", methods: "instance" } },
  ],
});
