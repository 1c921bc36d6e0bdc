import type { FanOut } from './fan-out';

/** The steps in the order of the API. */
const FILTER = 2;
const TRANSFORMATION = 3;
const FINALIZE = 5;
const STEPS = 6;

/** Numbers of events by step of a pipeline. */
export interface StepSums {
  readonly passed: readonly number[];
  readonly failed: readonly number[];
}

/** What the API answers about a pipeline over time, as far as it is compared. */
interface Metrics extends StepSums {
  readonly accepted: number;
  readonly endings: readonly { readonly count: number }[];
  readonly latency: object | null;
}

/** The sums that a pipeline must have when everything has ended. @param endings of the plan, by name. */
export const plannedSums = (endings: Readonly<Record<string, number>>): StepSums => {
  const failed = Array.from({ length: STEPS }, () => 0);
  failed[0] = endings['Duplicate'] ?? 0;
  failed[FILTER] = (endings['Filtered'] ?? 0) + (endings['Filtered Disabled'] ?? 0);
  failed[TRANSFORMATION] = endings['Rejected'] ?? 0;
  failed[FINALIZE] = endings['Rejected 400'] ?? 0;
  let left = Object.values(endings).reduce((sum, count) => sum + count, 0);
  const passed = failed.map((count) => (left -= count));
  return { passed, failed };
};

const sumOf = (points: readonly Metrics[], which: 'passed' | 'failed'): number[] =>
  Array.from({ length: STEPS }, (_, step) =>
    points.reduce((sum, point) => sum + (point[which][step] ?? 0), 0),
  );

/**
 * Compares what the API answers about a pipeline over time with the plan, by minute.
 *
 * @returns a description when they differ.
 */
export const wrongSums = async (
  fanOut: FanOut,
  name: string,
  planned: StepSums,
): Promise<string[]> => {
  const id = fanOut.pipelineIds.get(name) ?? '';
  const from = new Date(Date.now() - 4 * 3_600_000).toISOString();
  const path = `/v1/pipelines/${id}/metrics?stepSize=minute&from=${from}`;
  const { total, points } = await fanOut.change(
    (api) =>
      api.call('GET', path) as Promise<{
        readonly total: Metrics;
        readonly points: readonly Metrics[];
      }>,
  );
  const { passed, failed, accepted, endings, latency } = total;
  const hasLatency = latency !== null;
  const delivered = planned.passed[FINALIZE] ?? 0;
  const wanted = JSON.stringify({
    ...planned,
    accepted: (planned.passed[0] ?? 0) + (planned.failed[0] ?? 0),
    ended: (planned.passed[0] ?? 0) + (planned.failed[0] ?? 0),
    hasLatency: fanOut.redriven.has(name) ? hasLatency : delivered > 0,
  });
  const ended = endings.reduce((sum, { count }) => sum + count, 0);
  const answered = JSON.stringify({ passed, failed, accepted, ended, hasLatency });
  const summed = JSON.stringify([sumOf(points, 'passed'), sumOf(points, 'failed')]);
  const isSum = summed === JSON.stringify([passed, failed]);
  return [
    ...(answered === wanted
      ? []
      : [`metrics of ${name} are ${answered}; by the plan they are ${wanted}`]),
    ...(isSum ? [] : [`the minutes of ${name} add up to ${summed}; answered are ${answered}`]),
  ];
};
