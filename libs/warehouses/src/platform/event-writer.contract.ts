import { eventCodec } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import { MINE, OPTIONS } from './warehouse-writer.contract';
import type { EventWriter } from './event-writer';
import { MAX_BATCH, type WarehouseWriter } from './warehouse-writer';

/** What of a written event every platform shows to the contract. */
export interface ShownEvent {
  readonly connection: string;
  readonly messageId: string;
  readonly event: string | null;
}

/** A warehouse of {@link MINE}, for one test. */
export interface EventsWritten {
  open(options: typeof OPTIONS): Promise<Pick<WarehouseWriter, 'beginEvents' | 'close'>>;
  /** In the order of message ids. */
  events(): Promise<readonly ShownEvent[]>;
  stages(): Promise<readonly string[]>;
  setSchemaVersion(version: number): Promise<void>;
  close(): Promise<void>;
}

const TIME = '2026-03-01T09:30:00.123Z';

/** An event of the connection `c`. */
export const eventOf = (messageId: string, more: object = {}): RecordValue =>
  eventCodec.parse(
    JSON.stringify({
      ...{ connectionId: 'c', anonymousId: 'a', messageId, type: 'track', event: 'e' },
      ...{ receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME },
      ...{ properties: {}, traits: {}, ...more },
    }),
  );

/** Every implementation keeps these promises. */
export const itWritesEvents = (stage: (owner: typeof MINE) => Promise<EventsWritten>): void => {
  let written: EventsWritten;
  let writer: Pick<WarehouseWriter, 'beginEvents' | 'close'>;
  let events: EventWriter;

  beforeEach(async () => {
    written = await stage(MINE);
    writer = await written.open(OPTIONS);
    events = await writer.beginEvents({ role: 'events', epoch: 1 });
  });
  afterEach(async () => {
    await writer.close();
    await written.close();
  });

  it('keeps the first write of a message id, in one batch or several', async () => {
    const [first, second] = [eventOf('m', { event: 'first' }), eventOf('m', { event: 'second' })];
    expect(await events.write([first, second, eventOf('n')])).toEqual([{}, {}, {}]);
    const other = eventOf('m', { connectionId: 'd', event: 'other' });
    await events.write([second, eventOf('o'), other]);
    const all = await written.events();
    expect(all).toEqual(
      expect.arrayContaining([
        { connection: 'c', messageId: 'm', event: 'first' },
        { connection: 'd', messageId: 'm', event: 'other' },
      ]),
    );
    expect(all).toHaveLength(4);
  });

  it('batches that have events in common do not wait for each other in a circle', async () => {
    const all = Array.from({ length: 200 }, (_, at) => eventOf(`m${String(at)}`));
    await Promise.all(
      Array.from({ length: 4 }, (_, at) => events.write(at % 2 === 0 ? all : [...all].reverse())),
    );
    expect(await written.events()).toHaveLength(200);
    expect(await written.stages()).toEqual([]);
  });

  it('takes a batch of the limit, and none above', async () => {
    const batch = Array.from({ length: MAX_BATCH + 1 }, (_, at) => eventOf(`m${String(at)}`));
    await expect(events.write(batch)).rejects.toThrow(RangeError);
    await events.write(batch.slice(1));
    expect(await written.events()).toHaveLength(MAX_BATCH);
  });

  it('writes nothing once the role was taken over, whatever the version of the profile schema', async () => {
    await written.setSchemaVersion(7);
    await events.write([eventOf('m')]);
    await written.setSchemaVersion(OPTIONS.profiles.version);
    const newer = await writer.beginEvents({ role: 'events', epoch: 2 });
    await expect(events.write([eventOf('n')])).rejects.toMatchObject({ kind: 'fenced' });
    await newer.write([eventOf('o')]);
    expect((await written.events()).map(({ messageId }) => messageId)).toEqual(['m', 'o']);
    expect(await written.stages()).toEqual([]);
  });
};
