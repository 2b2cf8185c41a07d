// The page is some megabytes: CopilotKit brings what shows formulas, code and diagrams.
export default { build: { chunkSizeWarningLimit: 10_000 } };
