import {
  FIRST_PROFILE_SCHEMA,
  type PipelineId,
  type PipelineState,
  type PipelineStateAt,
  type ProfileSchema,
  type WorkspaceId,
} from '@penstock/contracts';
import { parseJson, parseSchema } from '@penstock/schema';
import type { WarehouseWriter } from '@penstock/warehouses';
import { EXECUTOR_DEFAULTS } from '../workers/executor-options';
import type { ClaimedRemoval } from './removal-store';
import { RemovalWork } from './removal-work';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const PIPELINE = 'pipeline00000001' as PipelineId;

const CLAIMED: ClaimedRemoval = {
  ...{ workspace: WORKSPACE, pipeline: PIPELINE, epoch: 7, deleted: false, version: 2 },
  ...{ lost: ['email'], hasChanged: false, failures: 0 },
};
const DELETED: ClaimedRemoval = { ...CLAIMED, deleted: true, version: 0, lost: [] };

const objectOf = (names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, readOptional: true })),
  });

const stateOf = (version: number, members: Partial<PipelineState> = {}): PipelineState =>
  ({
    ...{ kind: 'pipeline', id: PIPELINE, workspace: WORKSPACE, version, deleted: false },
    ...{ target: 'User', eventType: null, outSchema: objectOf(['first_name']), ...members },
  }) as PipelineState;

/** What is around a removal, and what it has done there. */
class Around {
  readonly calls: string[] = [];
  readonly postponed: number[] = [];
  readonly errors: unknown[] = [];
  state: PipelineState | undefined = stateOf(2);
  newest: PipelineState | undefined = stateOf(2);
  profiles: ProfileSchema = FIRST_PROFILE_SCHEMA;
  settings = 'one';
  /** Called when the warehouse is about to be changed. */
  onRemove: () => void = () => undefined;

  async perform(claimed: ClaimedRemoval): Promise<void> {
    const note =
      (call: string) =>
      (...given: readonly unknown[]): Promise<void> => {
        this.calls.push(call);
        if (call === 'postpone') this.postponed.push(given[1] as number);
        return Promise.resolve();
      };
    const work = new RemovalWork(
      claimed,
      {
        store: {
          renew: () => Promise.resolve(true),
          ...{ release: note('release'), postpone: note('postpone'), change: note('change') },
          ...{ end: note('end'), drop: note('drop') },
        },
        writers: {
          within: (_workspace, _signal, perform) => perform(this.writer()),
          profilesOf: () => this.profiles,
        },
        replica: {
          pipeline: () => this.state,
          warehouse: () => ({ settings: this.settings }) as never,
        },
        history: {
          pipelineStates: () => {
            this.calls.push('ask');
            const answer = this.newest === undefined ? [] : [{ position: 1, state: this.newest }];
            return Promise.resolve(answer as PipelineStateAt[]);
          },
        },
        triggerResolution: note('resolve'),
        options: EXECUTOR_DEFAULTS,
        onError: (error) => this.errors.push(error),
      },
      performance.now(),
    );
    await work.done;
  }

  /** A warehouse that has one piece to remove. */
  private writer(): WarehouseWriter {
    let left = 1;
    const remove = async (before: () => Promise<void>) => {
      if (left > 0) await before();
      this.onRemove();
      this.calls.push(left > 0 ? 'remove' : 'look');
      left -= 1;
      return { identities: left + 1, isLast: left < 0 };
    };
    const begin = (_writer: unknown, _pipeline: unknown, lost?: readonly string[]) => {
      this.calls.push(lost === undefined ? 'begin' : `begin ${lost.join()}`);
      return Promise.resolve({ remove });
    };
    return { beginRemoval: begin } as unknown as WarehouseWriter;
  }
}

let around: Around;

beforeEach(() => {
  around = new Around();
});

it('clears what the newest version does not write, and asks whether it is the newest before each piece', async () => {
  await around.perform({ ...CLAIMED, lost: ['email', 'first_name', 'phone'] });
  const piece = ['ask', 'change', 'remove', 'look'];
  expect(around.calls).toEqual(['begin email,phone', ...piece, 'resolve', 'end']);
});

it('removes what a deleted pipeline has written once the pipeline service knows of the deletion', async () => {
  around.newest = stateOf(3, { deleted: true });
  await around.perform(DELETED);
  expect(around.calls).toEqual(['ask', 'begin', 'change', 'remove', 'look', 'resolve', 'end']);
});

it.each<[string, PipelineState | undefined]>([
  ['is there', stateOf(2)],
  ['never was', undefined],
  ['is of another workspace', stateOf(3, { deleted: true, workspace: 'other' as WorkspaceId })],
])('removes nothing and forgets the removal of a pipeline that %s', async (_, newest) => {
  around.newest = newest;
  await around.perform(DELETED);
  expect(around.calls).toEqual(['ask', 'drop']);
  expect(around.errors).toEqual([
    new Error(`pipeline ${PIPELINE} was not deleted: nothing of it is removed`),
  ]);
});

it.each<[string, (now: Around) => void]>([
  ['an older version is known here', (now) => (now.state = stateOf(1))],
  ['it is not known here any more', (now) => (now.state = undefined)],
  [
    'the schema of profiles has not what it writes',
    (now) => {
      now.profiles = { version: 2, schema: parseSchema(parseJson(objectOf(['email', 'name']))) };
    },
  ],
])('begins nothing and postpones it while %s', async (_, change) => {
  change(around);
  await around.perform(CLAIMED);
  expect(around.calls).toEqual(['postpone']);
  expect(around.errors).toEqual([]);
});

it.each<[string, PipelineState | undefined]>([
  ['newer', stateOf(3)],
  ['older, as after its database was restored', stateOf(1)],
  ['unknown', undefined],
])('clears nothing where the newest version of the pipeline service is %s', async (_, newest) => {
  around.newest = newest;
  await around.perform(CLAIMED);
  expect(around.calls).toEqual(['begin email', 'ask', 'postpone']);
});

it('postpones what is outdated for longer and longer, for an hour at most', async () => {
  around.newest = stateOf(3);
  for (const failures of [0, 5, 100]) await around.perform({ ...CLAIMED, failures });
  const [first, sixth, last] = around.postponed;
  expect(first).toBeLessThanOrEqual(1_000);
  expect(sixth).toBeGreaterThanOrEqual(16_000);
  expect(sixth).toBeLessThanOrEqual(32_000);
  expect(last).toBeGreaterThanOrEqual(1_800_000);
  expect(last).toBeLessThanOrEqual(3_600_000);
});

it('does not end the pass where the warehouse was replaced meanwhile', async () => {
  around.onRemove = () => (around.settings = 'other');
  await around.perform(CLAIMED);
  expect(around.calls.slice(-2)).toEqual(['resolve', 'release']);
});

it('asks for a resolution where nothing was left after something was removed before', async () => {
  await around.perform({ ...CLAIMED, hasChanged: true });
  expect(around.calls).toEqual(['begin email', 'ask', 'remove', 'look', 'resolve', 'end']);
});
