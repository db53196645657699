// The dashboard: one document, which shows what its address says and follows the daemon.
import {render} from "preact";
import {useEffect} from "preact/hooks";
import "./style.css";
import {connect, useConnection, useData} from "./live";
import type {Connection} from "./live";
import {Link, usePlace} from "./route";
import type {Place} from "./route";
import {CandidatePage} from "./pages/candidate";
import {DevicesPage} from "./pages/devices";
import {ExperimentPage, ExperimentsPage} from "./pages/experiments";
import {FindingPage, FindingsPage} from "./pages/findings";
import {ComparePage, HistoryPage} from "./pages/history";
import {OverviewPage} from "./pages/overview";
import {ProposalPage, ProposalsPage} from "./pages/proposals";
import {RunPage, RunsPage} from "./pages/runs";
import type {Overview} from "./wire";

const PAGES: [string, string][] = [["", "Overview"], ["runs", "Runs"], ["experiments", "Experiments"], ["history", "History"],
  ["findings", "Findings"], ["proposals", "Learnt rules"], ["devices", "Devices and queue"], ["compare", "Compare"]];
const CONNECTION: Record<Connection, string> = {
  connecting: "connecting", live: "live", lost: "connection lost, trying again",
};

function Shown(props: {place: Place}) {
  const [page = "", name] = props.place.parts;
  switch (page) {
    case "": return <OverviewPage />;
    case "runs": return name ? <RunPage key={name} run={name} /> : <RunsPage />;
    case "candidates": return name ? <CandidatePage key={name} id={name} /> : <HistoryPage />;
    case "experiments": return name ? <ExperimentPage key={name} name={name} /> : <ExperimentsPage />;
    case "findings": return name ? <FindingPage key={name} id={name} /> : <FindingsPage />;
    case "proposals": return name ? <ProposalPage key={name} id={name} /> : <ProposalsPage />;
    case "devices": return <DevicesPage />;
    case "history": return <HistoryPage />;
    case "compare": return <ComparePage />;
    default: return <><h1>Nothing here</h1><p><Link to="/">To the overview</Link></p></>;
  }
}

function Header(props: {place: Place}) {
  const connection = useConnection();
  const page = props.place.parts[0] === "candidates" ? "history" : props.place.parts[0] ?? "";
  return (
    <header>
      <a href="#content" class="skip">to the content</a>
      <Link to="/" class="brand"><img src="/icon.svg" alt="" width="26" height="26" /> Cake</Link>
      <nav aria-label="pages">
        {PAGES.map(([path, title]) => <Link key={path} to={`/${path}`} current={page === path}>{title}</Link>)}
      </nav>
      <p id="connection" class={connection} role="status">{CONNECTION[connection]}</p>
    </header>
  );
}

function DemoBanner() {
  const overview = useData<Overview>("/api/overview", (change) => change.kind === "EvidenceImported");
  if (!overview.value?.demo) return null;
  return <p class="banner" role="note">This store holds demo data: runs, devices and figures on these pages are made up.</p>;
}

function App() {
  const place = usePlace();
  const where = place.parts.join(" ");
  useEffect(() => {
    document.title = where ? `${where} · Cake` : "Cake";
  }, [where]);
  return (
    <>
      <Header place={place} />
      <DemoBanner />
      <main id="content" tabIndex={-1}><Shown place={place} /></main>
    </>
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
void connect();
