import type { FanOutEvent } from './fan-out-event';
import { idOf } from './fan-out-event';
import type { Ledger } from './ledger';
import { type Plan, plannedEnding } from './plan';

/** Most examples in a finding. */
const SHOWN = 5;

const shown = (what: string, examples: readonly string[]): string[] =>
  examples.length === 0
    ? []
    : [`${what}: ${String(examples.length)}, such as ${examples.slice(0, SHOWN).join(', ')}`];

interface Compared {
  readonly plan: Plan;
  readonly ledger: Ledger;
  /** The accepted events, each once. */
  readonly events: readonly FanOutEvent[];
}

/** Accepted events that should have been delivered and were not, by pipeline; empty when there are none. */
export const lost = ({ plan, ledger, events }: Compared): string[] =>
  plan.pipelines.flatMap((pipeline) => {
    const records = ledger.ofPipeline(pipeline.name);
    const missing = events.filter(
      (event) =>
        plannedEnding(plan, pipeline, event) === 'Delivered' &&
        !records.get(`${String(event.source)}/${String(event.user)}`)?.delivered.has(event.number),
    );
    return shown(`${pipeline.name} lost`, missing.map(idOf));
  });

/** Events that were delivered against the plan or never accepted, by pipeline; empty when there are none. */
const unexpected = ({ plan, ledger, events }: Compared): string[] => {
  const accepted = new Set(events.map(idOf));
  return ledger.pipelines.flatMap((name) => {
    const pipeline = plan.pipelines.find((each) => each.name === name);
    const wrong = [...ledger.ofPipeline(name)].flatMap(([key, { order }]) =>
      order.filter((number) => {
        const [source = 0, user = 0] = key.split('/').map(Number);
        const event = { source, user, number };
        const isPlanned =
          pipeline !== undefined && plannedEnding(plan, pipeline, event) === 'Delivered';
        return !isPlanned || !accepted.has(idOf(event));
      }),
    );
    return shown(`${name} delivered what it should not have`, wrong.map(String));
  });
};

/** Users whose events did not succeed in order, by pipeline; empty when there are none. */
const disorder = (ledger: Ledger): string[] =>
  ledger.pipelines.flatMap((name) => {
    const wrong = [...ledger.ofPipeline(name)].flatMap(([key, { order }]) => {
      const at = order.findIndex((number, index) => index > 0 && number < (order[index - 1] ?? 0));
      return at < 0 ? [] : [`${key} (${order.slice(Math.max(0, at - 2), at + 2).join(' ')})`];
    });
    return shown(`${name} out of order`, wrong);
  });

/** All findings from the destinations' records; empty when everything was delivered by the plan, in order. */
export const findings = (compared: Compared): string[] => [
  ...lost(compared),
  ...unexpected(compared),
  ...disorder(compared.ledger),
  ...shown(
    'another idempotency key',
    compared.ledger.otherKeys.map(({ event }) => idOf(event)),
  ),
];
