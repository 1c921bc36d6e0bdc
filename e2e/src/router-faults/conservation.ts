import { type EventOnLog, eventsOnLog } from '../harness/events-on-log';
import { type PipelineCount, pipelineCounts } from '../harness/pipeline-counts';
import type { FanOut } from './fan-out';
import { eventOfId, type FanOutEvent } from './fan-out-event';
import { type Plan, plannedEnding, type PlannedPipeline } from './plan';
import { plannedSums, wrongSums } from './step-sums';

/** Counts by state, with the code where the plan distinguishes it. */
type Endings = Record<string, number>;

const CODES: Readonly<Record<string, string>> = {
  'Rejected 400': 'Rejected 400',
  'Filtered Disabled': 'Filtered Disabled',
};

const nameOf = ({ state, code }: PipelineCount): string => CODES[`${state} ${code}`] ?? state;

const add = (endings: Endings, name: string, count: number): void => {
  if (count > 0) endings[name] = (endings[name] ?? 0) + count;
};

/** The events of one source in the log. */
interface Stock {
  /** Different events. */
  readonly events: readonly FanOutEvent[];
  /** Number of repeated records, which must end as duplicates. */
  readonly repeats: number;
}

const isPlanned = ({ messageId }: EventOnLog): boolean => /^\d+\/\d+\/\d+$/.test(messageId);

/** Reads the log. @returns the events by source of the plan. */
const stockOf = async ({ installation, sources }: FanOut): Promise<readonly Stock[]> => {
  const log = installation.openLog();
  try {
    const records = (await eventsOnLog(log)).filter(isPlanned);
    return sources.map(({ id }) => {
      const own = records.filter(({ source }) => source === id);
      const ids = new Set(own.map(({ messageId }) => messageId));
      return { events: [...ids].map(eventOfId), repeats: own.length - ids.size };
    });
  } finally {
    await log.close();
  }
};

const expected = (plan: Plan, pipeline: PlannedPipeline, stocks: readonly Stock[]): Endings => {
  const endings: Endings = {};
  stocks.forEach(({ events, repeats }, source) => {
    if (!plan.sources[source]?.includes(pipeline.destination)) return;
    add(endings, 'Duplicate', repeats);
    for (const event of events) {
      const ending = plannedEnding(plan, pipeline, event) ?? '';
      add(endings, CODES[ending] ?? ending.split(' ')[0] ?? '', 1);
    }
  });
  return endings;
};

const written = (endings: Endings): string =>
  Object.entries(endings)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');

/** What the API answers about a pipeline. */
interface Conservation {
  readonly accepted: number;
  readonly endings: Readonly<Record<string, number>>;
  readonly open: number;
}

const conservationOf = (fanOut: FanOut, name: string): Promise<Conservation> => {
  const id = fanOut.pipelineIds.get(name) ?? '';
  return fanOut.change(
    (api) => api.call('GET', `/v1/pipelines/${id}/conservation`) as Promise<Conservation>,
  );
};

/** Compares what the API answers about a pipeline with its counts by state. @returns a description when they differ. */
const misanswered = async (
  fanOut: FanOut,
  name: string,
  counts: readonly PipelineCount[],
): Promise<string[]> => {
  const id = fanOut.pipelineIds.get(name) ?? '';
  const { accepted, endings, open } = await conservationOf(fanOut, name);
  const counted: Endings = {};
  for (const { pipeline, state, count } of counts) if (pipeline === id) add(counted, state, count);
  const total = Object.values(counted).reduce((sum, count) => sum + count, 0);
  const answered: Endings = {};
  for (const [state, count] of Object.entries({ ...endings, Open: open }))
    if (count !== 0) answered[state] = count;
  const [found, wanted] = [
    `${String(accepted)}: ${written(answered)}`,
    `${String(total)}: ${written(counted)}`,
  ];
  return found === wanted ? [] : [`${name} is answered as ${found}; counted are ${wanted}`];
};

/**
 * Pipelines of which not everything that was accepted has ended, by what the API answers, whatever the plan says.
 *
 * @returns a description of each; empty when all are conserved and nothing is open.
 */
export const unconserved = async (
  fanOut: FanOut,
  names: readonly string[],
): Promise<readonly string[]> => {
  const found = names.map(async (name) => {
    const { accepted, endings, open } = await conservationOf(fanOut, name);
    const ended = Object.values(endings).reduce((sum, count) => sum + count, 0);
    if (open === 0 && ended === accepted && accepted > 0) return [];
    return [`${name} has accepted ${accepted}, ended ${ended} and has ${open} open`];
  });
  return (await Promise.all(found)).flat();
};

/**
 * Compares the counts of the routers with the log, and what the API answers with the counts, in sum and over time: the endings of
 * each pipeline must be those of the plan, with nothing open, so that their sum is the number of events accepted of the linked
 * sources.
 *
 * @returns a description of every pipeline whose counts, or else whose answers differ.
 */
export const miscounted = async (fanOut: FanOut): Promise<readonly string[]> => {
  const stocks = await stockOf(fanOut);
  const counts = await pipelineCounts(fanOut.installation.databaseUrl);
  const differences = fanOut.plan.pipelines.flatMap((pipeline) => {
    const id = fanOut.pipelineIds.get(pipeline.name);
    const counted: Endings = {};
    for (const count of counts) if (count.pipeline === id) add(counted, nameOf(count), count.count);
    const [found, planned] = [written(counted), written(expected(fanOut.plan, pipeline, stocks))];
    return found === planned ? [] : [`${pipeline.name} counts ${found}; planned are ${planned}`];
  });
  if (differences.length > 0) return differences;
  const answers = fanOut.plan.pipelines.flatMap((pipeline) => [
    misanswered(fanOut, pipeline.name, counts),
    wrongSums(fanOut, pipeline.name, plannedSums(expected(fanOut.plan, pipeline, stocks))),
  ]);
  return (await Promise.all(answers)).flat();
};
