// Top-level `await` in the page.
export default { build: { target: "es2022" } };
