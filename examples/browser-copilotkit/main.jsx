import { HttpAgent } from "@ag-ui/client";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";

const agent = new HttpAgent({ url: "/agui" });

createRoot(document.querySelector("main")).render(
  <CopilotKit selfManagedAgents={{ default: agent }}>
    <CopilotChat />
  </CopilotKit>,
);
