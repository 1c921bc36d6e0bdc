import { FIRST_PROFILE_SCHEMA, type WorkspaceId } from '@penstock/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPTIONS } from '../../platform/warehouse-writer.contract';
import { snowflakeOfSpecs, SnowflakeStage } from '../stage.fixture';

jest.setTimeout(120_000);

const MINE = 'workspace0000001' as WorkspaceId;
const OTHER = 'workspace0000002' as WorkspaceId;

const server = snowflakeOfSpecs();
let stage: SnowflakeStage;

afterEach(() => stage.close());

const objects = async (): Promise<number> =>
  (
    await stage.rows(
      `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = '${stage.place.schema}'`,
    )
  ).length;

describe('a schema that is empty', () => {
  beforeEach(async () => {
    stage = await SnowflakeStage.open(server());
  });

  it('becomes the warehouse of a workspace, once, and is given up again', async () => {
    await stage.as(async (warehouse) => {
      await warehouse.checkAccess();
      expect(await warehouse.owner()).toBeUndefined();
      expect(await warehouse.initialise(MINE, { isDryRun: true })).toBeUndefined();
      expect(await objects()).toBe(0);
      expect(await warehouse.initialise(MINE)).toEqual({ formerOwner: undefined });
      expect(await warehouse.initialise(MINE)).toBeUndefined();
      expect(await warehouse.owner()).toBe(MINE);
      expect(await warehouse.profilesVersion(MINE)).toBe(FIRST_PROFILE_SCHEMA.version);
      expect(await warehouse.profilesVersion(OTHER)).toBeUndefined();
      await warehouse.checkAccess();
      await warehouse.release(OTHER, { formerOwner: undefined });
      expect(await warehouse.owner()).toBe(MINE);
      await warehouse.release(MINE, { formerOwner: undefined });
      expect(await objects()).toBe(0);
    });
  });

  it('is no warehouse when it holds something', async () => {
    await stage.rows(`CREATE TABLE ${stage.at('SOMETHING')} ("X" VARCHAR)`);
    await expect(stage.as((warehouse) => warehouse.initialise(MINE))).rejects.toMatchObject({
      kind: 'unusable',
      message: 'schema is not empty: it holds 1 objects',
    });
    expect(await objects()).toBe(1);
  });

  it('is taken over with what is in it from who has freed it, and given back', async () => {
    await stage.initialise(MINE);
    await stage.as(async (warehouse) => {
      await expect(warehouse.initialise(OTHER)).rejects.toMatchObject({ kind: 'unusable' });
      const isFreed = (owner: WorkspaceId) => Promise.resolve(owner === MINE);
      expect(await warehouse.initialise(OTHER, { isFreed })).toEqual({ formerOwner: MINE });
      expect(await warehouse.owner()).toBe(OTHER);
      await expect(warehouse.unresolved(MINE)).rejects.toMatchObject({ kind: 'foreign' });
      expect(await warehouse.unresolved(OTHER)).toEqual({ count: 0, waitingMs: null });
      await warehouse.release(OTHER, { formerOwner: MINE });
      expect(await warehouse.owner()).toBe(MINE);
    });
  });
});

it('makes a schema that is missing', async () => {
  stage = await SnowflakeStage.open(server(), false);
  await stage.as(async (warehouse) => {
    await expect(warehouse.checkReading()).rejects.toMatchObject({ kind: 'unusable' });
    await warehouse.initialise(MINE);
    await warehouse.checkReading();
    expect(await warehouse.owner()).toBe(MINE);
  });
});

describe('readers', () => {
  beforeEach(async () => {
    stage = await SnowflakeStage.open(server());
    await stage.initialise(MINE);
  });

  it('of earlier epochs are kept out, and have the time of grace', async () => {
    const reader = { workspace: MINE, epoch: 1 };
    await stage.as(async (warehouse) => {
      expect(await warehouse.whileReadable(reader, () => Promise.resolve(5))).toBe(5);
      let begun: (() => void) | undefined;
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      const slow = warehouse.whileReadable(reader, async (ended) => {
        begun?.();
        await sleep(20_000, undefined, { signal: ended }).catch(() => undefined);
        return ended.aborted;
      });
      const rejected = expect(slow).rejects.toMatchObject({ kind: 'unreachable' });
      await hasBegun;
      await stage.as((other) => other.keepReadersOut(MINE, { epoch: 2, graceMs: 1_500 }));
      await rejected;
      await expect(warehouse.whileReadable(reader, () => Promise.resolve(5))).rejects.toMatchObject(
        { kind: 'fenced' },
      );
      const later = { ...reader, epoch: 2 };
      expect(await warehouse.whileReadable(later, () => Promise.resolve(5))).toBe(5);
    });
  });

  it('of another workspace are not let in', async () => {
    await stage.as((warehouse) =>
      expect(
        warehouse.whileReadable({ workspace: OTHER, epoch: 1 }, () => Promise.resolve(5)),
      ).rejects.toMatchObject({ kind: 'foreign' }),
    );
  });
});

it('lets writers of a newer layout write only', async () => {
  stage = await SnowflakeStage.open(server());
  await stage.initialise(MINE);
  const writer = await stage.writer(OPTIONS);
  const events = await writer.beginEvents({ role: 'events', epoch: 1 });
  await stage.rows(`UPDATE ${stage.at('_META')} SET "LAYOUT" = 99`);
  await expect(events.write([])).resolves.toEqual([]);
  await expect(writer.beginEvents({ role: 'events', epoch: 1 })).rejects.toMatchObject({
    kind: 'newer',
  });
  await writer.close();
});
