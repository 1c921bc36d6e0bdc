import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api';

const POLL_MS = 50;

interface Run {
  readonly status: string;
  readonly error: string;
  readonly passed: readonly number[];
  readonly progress: { readonly passed: readonly number[] } | null;
}

/** Runs a pipeline of so many records, looking at its progress as somebody who waits does. */
export const measureRun = async (
  api: Api,
  id: string,
  rows: number,
): Promise<{ readonly rate: number; readonly firstMs: number }> => {
  const startMs = performance.now();
  const { id: run } = await api.post<{ id: string }>(`/v1/pipelines/${id}/runs`);
  let firstMs = 0;
  for (;;) {
    const { progress, status, error, passed } = await api.get<Run>(`/v1/pipelines/runs/${run}`);
    if (firstMs === 0 && ((progress ?? { passed }).passed[0] ?? 0) > 0)
      firstMs = performance.now() - startMs;
    if (progress === null) {
      if (status !== 'Succeeded' || passed.at(-1) !== rows)
        throw new Error(`the run has ended as ${status} with ${String(passed)}: ${error}`);
      return { rate: (rows * 1_000) / (performance.now() - startMs), firstMs };
    }
    await sleep(POLL_MS);
  }
};
