// Only so that the tools need not be installed into each project: nothing here is for the package.

export default {
  turbopack: { root: process.env.PROJECT_ROOT },
  outputFileTracingRoot: process.env.PROJECT_ROOT,
};
