import type {
  RunErrorView,
  RunFactView,
  RunProgress,
  RunView,
  RunWait,
  StepCounts,
} from '@penstock/contracts';
import { type Json, type JsonObject, parseJson } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

const countsJson = (counts: StepCounts): Json => counts.map(jsonInteger);

const numberJson = (value: number | null): Json => (value === null ? null : jsonInteger(value));

const progressJson = (progress: RunProgress): JsonObject =>
  jsonObject<keyof RunProgress>({
    passed: countsJson(progress.passed),
    failed: countsJson(progress.failed),
    rate: jsonInteger(Math.round(progress.rate)),
    eta: numberJson(progress.eta),
    total: numberJson(progress.total),
  });

/** A run in answers. */
export const runJson = (run: RunView): JsonObject =>
  jsonObject<keyof RunView>({
    ...run,
    pipelineVersion: numberJson(run.pipelineVersion),
    passed: countsJson(run.passed),
    failed: countsJson(run.failed),
    attempt: jsonInteger(run.attempt),
    progress: run.progress && progressJson(run.progress),
    waiting: run.waiting && jsonObject<keyof RunWait>({ ...run.waiting }),
    purged: jsonInteger(run.purged),
    warnings: [...run.warnings],
  });

/** Why records of a run failed, in answers. */
export const runErrorJson = (error: RunErrorView): JsonObject =>
  jsonObject<keyof RunErrorView>({
    ...error,
    count: jsonInteger(error.count),
    samples: [...error.samples],
    places: [...(error.places ?? [])],
    advice: error.advice ?? '',
    texts: (error.texts ?? []).map(({ sample, text }) => jsonObject({ sample, text })),
  });

/** A fact of a run in answers. */
export const runFactJson = (fact: RunFactView): JsonObject =>
  jsonObject<keyof RunFactView>({ ...fact, data: parseJson(fact.data) });
