import { ApiClient, ApiError } from '../harness/api-client';
import { showingOutput } from '../harness/installation';
import { HeldStages } from './held-stages';
import { ImportedPipeline, UsersFile } from './imported-pipeline';
import { SeveralExecutors } from './several-executors';
import { newWorkspace, withoutResolutions } from './workspaces';

jest.setTimeout(120_000);

const RECORDS = 300;
const BATCH = 100;
/** One of the second batch, which is merged. */
const HELD = 'u150';
/** Source: the specification of runs, "Cancel and modes". */
/** Less than the ten seconds of a lease. */
const CANCELLED_MS = 8_000;

let executors: SeveralExecutors;
let held: HeldStages;
let api: ApiClient;
let pipeline: ImportedPipeline;
let file: UsersFile;

const databaseUrl = (): string => executors.several.databaseUrl;

beforeAll(async () => {
  executors = await SeveralExecutors.start(0, BATCH);
  held = new HeldStages(databaseUrl);
  const { address, apiKey } = executors.several;
  const workspace = await newWorkspace(new ApiClient(address, apiKey), 'first', databaseUrl());
  api = new ApiClient(address, apiKey, { workspace });
  await withoutResolutions(api);
  pipeline = await ImportedPipeline.create(api, 'first', databaseUrl);
  file = new UsersFile(executors.root, RECORDS);
  file.write('first', 0);
  await executors.add();
  expect(await pipeline.ended(await pipeline.begin())).toMatchObject({ status: 'Succeeded' });
});

afterAll(async () => {
  await held.releaseAll();
  await executors.destroy();
});

const setMode = (mode: string, cancelIncompatibleOperations: boolean): Promise<unknown> =>
  api.call('PUT', '/v1/warehouse/mode', { mode, cancelIncompatibleOperations });

it(
  'a mode that forbids runs is refused while one is live, or cancels it, and nothing is written afterwards',
  showingOutput(
    () => executors.several,
    async () => {
      file.write('second', 1);
      const { run, release } = await held.inBatch(pipeline, HELD, () => pipeline.begin());
      for (const mode of ['Inspection', 'Maintenance'])
        await expect(setMode(mode, false)).rejects.toMatchObject({
          status: 422,
          body: expect.stringContaining('OperationAlreadyExecuting') as string,
        });
      expect(await pipeline.get(run)).toMatchObject({ status: 'Running' });
      expect(await api.call('GET', '/v1/warehouse')).toMatchObject({ mode: 'Normal' });

      const askedMs = Date.now();
      await setMode('Inspection', true);
      expect(Date.now() - askedMs).toBeLessThan(15_000);
      const ended = await pipeline.get(run);
      expect(ended).toMatchObject({
        ...{
          status: 'Cancelled',
          error: 'warehouse mode was changed to Inspection',
          progress: null,
        },
      });
      const last = (await pipeline.history(run)).at(-1);
      expect(last?.type).toBe('RunCancelled');
      expect(Date.parse(last?.time ?? '') - askedMs).toBeLessThan(CANCELLED_MS);
      const before = await pipeline.identities();
      expect(before.get(HELD)).toBe('first');

      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await release();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await pipeline.identities()).toEqual(before);
      await expect(pipeline.begin()).rejects.toMatchObject({
        body: expect.stringContaining('InspectionMode') as string,
      });
      await expect(pipeline.begin()).rejects.toBeInstanceOf(ApiError);

      await setMode('Normal', false);
      expect(await pipeline.ended(await pipeline.begin())).toMatchObject({
        ...{ status: 'Succeeded', ...file.totals() },
      });
      expect(await pipeline.identities()).toEqual(file.identities('second'));
    },
  ),
);
