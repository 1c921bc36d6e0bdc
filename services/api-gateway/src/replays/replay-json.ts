import {
  type DifferenceView,
  REPLAY_COUNTS,
  REPLAY_DELIVERY_COUNTS,
  type ReplayedResult,
  type ReplayFailureView,
  type ReplayView,
} from '@penstock/contracts';
import { type Json, type JsonObject, parseJson } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

const textJson = (text: string | null): Json => (text === null ? null : parseJson(text));

const numberJson = (value: number | null): Json => (value === null ? null : jsonInteger(value));

const countsJson = <Name extends string>(
  names: readonly Name[],
  counts: Readonly<Record<Name, number>>,
): JsonObject => new Map(names.map((name) => [name, jsonInteger(counts[name])] as const));

/** A replay in answers. */
export const replayJson = (view: ReplayView): JsonObject => {
  const { read, total, rate, remainingSeconds } = view.progress;
  const { summary, deliveries } = view;
  return jsonObject<keyof ReplayView>({
    ...view,
    filter: textJson(view.filter),
    version: numberJson(view.version),
    progress: jsonObject<keyof ReplayView['progress']>({
      read: jsonInteger(read),
      total: jsonInteger(total),
      rate: jsonInteger(rate),
      remainingSeconds: numberJson(remainingSeconds),
    }),
    summary: summary && countsJson(REPLAY_COUNTS, summary),
    deliveries: deliveries && countsJson(REPLAY_DELIVERY_COUNTS, deliveries),
  });
};

const resultJson = (result: ReplayedResult | null): Json =>
  result && jsonObject<keyof ReplayedResult>({ ...result, values: textJson(result.values) });

/** A difference in answers; its values have every digit of their numbers. */
export const differenceJson = (view: DifferenceView): JsonObject =>
  jsonObject<keyof DifferenceView>({
    ...view,
    before: resultJson(view.before),
    now: resultJson(view.now),
  });

/** A rejected or parked delivery of a replay in answers. */
export const failureJson = (view: ReplayFailureView): JsonObject =>
  jsonObject<keyof ReplayFailureView>({ ...view, attempts: jsonInteger(view.attempts) });
