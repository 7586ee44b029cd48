// Without baseUrl the calls have no host, which Node needs.
export default {
  forum: {
    input: "openapi.json",
    output: {
      target: "orval-client.ts",
      client: "fetch",
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
};
