import type { RunFact, RunId } from '@penstock/contracts';
import type { Pool } from 'pg';
import { type FoldedRun, runAfter } from '../audit/folded-run';

/** The record of each run is the fold of its facts. */
export const checkFolds = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ run: RunId; type: string; data: string }>(
    'SELECT run, type, data FROM penstock_runs.facts ORDER BY run, number',
  );
  const folds = new Map<RunId, FoldedRun | undefined>();
  for (const { run, type, data } of rows)
    folds.set(
      run,
      runAfter(folds.get(run), { type, data: JSON.parse(data) as unknown } as RunFact),
    );
  for (const [run, fold] of folds) {
    const { rows: found } = await pool.query<object>(
      `SELECT passed::float8[] AS passed, failed::float8[] AS failed, status, incremental, sequence
         FROM penstock_runs.runs WHERE id = $1`,
      [run],
    );
    expect(fold).toMatchObject(found[0] ?? {});
  }
};
