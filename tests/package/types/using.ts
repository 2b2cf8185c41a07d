// Where the language has `using`.

import { OutputFilter } from "lastword";

using filter = new OutputFilter();
console.log(filter.push("text"));
