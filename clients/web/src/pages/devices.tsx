import {CandidateLink, Command, More, RunLink, Section, Table, Text, Waiting, useList} from "../parts";
import {binding, count, percent, sentence, whole} from "../words";
import type {Device, Devices, Queue, QueuedJob} from "../wire";

const DEVICE_KINDS = new Set(["DeviceState", "WorkerState", "LeaseGranted", "LeaseLost", "EvaluationDone"]);
const QUEUE_KINDS = new Set(["JobQueued", "LeaseGranted", "LeaseLost", "EvaluationDone", "RunState"]);

function Noise(props: {device: Device}) {
  if (props.device.noise.length === 0) return <>not measured</>;
  return <ul class="plain">{props.device.noise.map((one) => <li key={one.kernel_class}><Text>{one.kernel_class}</Text> {percent(one.floor)}</li>)}</ul>;
}

function DeviceTable() {
  const list = useList<Device, Devices>({
    name: "devices", query: {}, rows: (reply) => reply.devices, keyOf: (one) => one.uuid || "none",
    concerns: (change) => DEVICE_KINDS.has(change.kind),
  });
  if (!list.data.value) return <Waiting data={list.data} what="the devices" />;
  return (
    <>
      <Table caption="Devices, newest first" rows={list.rows} keyOf={(one) => one.uuid || "none"}
        empty={<>No worker has registered. Start one: <Command>cake-worker --device cpu</Command></>}
        columns={[
          {head: "device", kind: "word", cell: (one) => <><Text>{one.name || "workers without a device"}</Text>{one.simulated && <small class="simulated">simulated</small>}</>},
          {head: "architecture", kind: "word", cell: (one) => <Text>{one.arch}</Text>},
          {head: "driver", kind: "word", cell: (one) => <Text>{one.driver}</Text>},
          {head: "state", kind: "word", cell: (one) => <><span class={one.state === "HEALTHY" ? "good" : one.state ? "bad" : ""}>{one.state}</span>{one.reason && <small><Text>{one.reason}</Text></small>}</>},
          {head: "noise floor, relative", kind: "text", cell: (one) => <Noise device={one} />},
          {head: "jobs lost since one ended well", kind: "number", cell: (one) => count(one.faults)},
          {head: "workers", kind: "text", cell: (one) => (
            <ul class="plain">
              {one.workers.map((worker) => (
                <li key={worker.name}><Text>{worker.name}</Text> {worker.state}{worker.candidate && <> on <CandidateLink id={worker.candidate} /></>}
                  <small><Text>{worker.capabilities.join(", ")}</Text></small></li>
              ))}
            </ul>
          )},
        ]} />
      <More more={list.more} busy={list.busy} rows={list.rows.length} />
    </>
  );
}

function QueueTable() {
  const list = useList<QueuedJob, Queue>({
    name: "queue", query: {}, rows: (reply) => reply.jobs, keyOf: (job) => job.job,
    concerns: (change) => QUEUE_KINDS.has(change.kind),
  });
  const reply = list.data.value;
  if (!reply) return <Waiting data={list.data} what="the queue" />;
  // What has ended meanwhile is on no page any more: only the first page is fresh.
  const first = list.data.value?.jobs ?? [];
  const rows = list.rows.length > first.length ? list.rows : first;
  return (
    <>
      <p class="note">{count(reply.leased)} running, {count(reply.queued)} waiting; in the order in which they are given out.</p>
      <Table caption="Jobs that run or wait" rows={rows} keyOf={(job) => job.job} empty="No job waits or runs."
        columns={[
          {head: "job", kind: "id", cell: (job) => job.job},
          {head: "state", kind: "word", cell: (job) => <>{job.state === "LEASED" ? "running" : "waiting"}{job.waits_because && <small><Text>{job.waits_because}</Text></small>}</>},
          {head: "candidate", kind: "id", cell: (job) => <CandidateLink id={job.candidate} />},
          {head: "member", kind: "text", cell: (job) => binding(job.binding)},
          {head: "run", kind: "id", cell: (job) => <RunLink run={job.run} />},
          {head: "purpose", kind: "word", cell: (job) => sentence(job.purpose)},
          {head: "priority", kind: "number", cell: (job) => String(whole(job.priority))},
          {head: "attempt", kind: "number", cell: (job) => String(job.attempt)},
          {head: "lost to machines", kind: "number", cell: (job) => String(job.infra_losses)},
          {head: "worker", kind: "word", cell: (job) => <Text>{job.worker}</Text>},
          {head: "needs", kind: "text", cell: (job) => <Text>{job.needs.join(", ")}</Text>},
        ]} />
      <More more={list.more} busy={list.busy} rows={rows.length} />
    </>
  );
}

export function DevicesPage() {
  return (
    <>
      <h1>Devices and queue</h1>
      <Section title="Devices"><DeviceTable /></Section>
      <Section title="Queue"><QueueTable /></Section>
    </>
  );
}
