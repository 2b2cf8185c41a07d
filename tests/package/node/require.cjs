const lastword = require("lastword");

import("./scenario.mjs").then(async ({ scenario }) => console.log(JSON.stringify(await scenario(lastword))));
