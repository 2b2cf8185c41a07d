import { OutputFilter } from "lastword";

export const dynamic = "force-dynamic";

export default function Page() {
  const filter = new OutputFilter();
  return <p>{filter.push("fine ") + filter.push("too") + filter.flush()}</p>;
}
