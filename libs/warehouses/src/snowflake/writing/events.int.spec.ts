import type { EventWriter } from '../../platform/event-writer';
import { eventOf, itWritesEvents } from '../../platform/event-writer.contract';
import { erasedHash } from '../../platform/erased-hash';
import { recordsOfEvent } from '../../platform/records-of-event';
import { MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import {
  snowflakeOfSpecs,
  writtenOfSpecs,
  type WrittenStage,
  writtenStage,
} from '../stage.fixture';
import type { SnowflakeWriter } from './snowflake-writer';

jest.setTimeout(120_000);

const server = snowflakeOfSpecs();

describe('a warehouse on Snowflake', () => {
  const shared = writtenOfSpecs(server);
  itWritesEvents(() => {
    const { stage } = shared();
    const events = async () => {
      const rows = await stage.rows(
        `SELECT "CONNECTION_ID", "MESSAGE_ID", "EVENT" FROM ${stage.at('EVENTS')} ORDER BY "MESSAGE_ID"`,
      );
      return rows.map(([connection, messageId, event = null]) => ({
        ...{ connection: String(connection), messageId: String(messageId), event },
      }));
    };
    return Promise.resolve({ ...shared(), events });
  });
});

describe('the table of events', () => {
  let written: WrittenStage;
  let writer: SnowflakeWriter;
  let events: EventWriter;

  beforeEach(async () => {
    written = await writtenStage(server(), MINE);
    writer = await written.open(OPTIONS);
    events = await writer.beginEvents({ role: 'events', epoch: 1 });
  });
  afterEach(async () => {
    await writer.close();
    await written.close();
  });

  const rows = (columns: string) =>
    written.stage.rows(
      `SELECT ${columns} FROM ${written.stage.at('EVENTS')} ORDER BY "MESSAGE_ID"`,
    );

  it('writes every member of an event into its column', async () => {
    const context = {
      app: { name: 'App', version: '1' },
      device: { adTrackingEnabled: false },
      ip: '2001:db8::1',
      location: { latitude: -0.5 },
      screen: { width: 320, density: 2.5 },
      session: { id: 9_007_199_254_740_991, start: true },
      userAgent: 'tab\tand "quote"\\n',
    };
    const of = { userId: 'u', properties: { n: 1.5, x: 'é\n' }, context, channel: 'web' };
    await events.write([eventOf('m', of)]);
    expect(
      await rows(`"PROFILE_ID", "USER_ID", "EVENT", "TYPE", "CHANNEL", "CONTEXT_APP_NAME", "CONTEXT_APP_BUILD",
      "CONTEXT_DEVICE_AD_TRACKING_ENABLED", "CONTEXT_IP", "CONTEXT_LOCATION_LATITUDE", "CONTEXT_SCREEN_WIDTH",
      "CONTEXT_SCREEN_DENSITY", "CONTEXT_SESSION_ID", "CONTEXT_SESSION_START", "CONTEXT_USER_AGENT", "PROPERTIES",
      "TRAITS", "TIMESTAMP"`),
    ).toEqual([
      [
        ...[null, 'u', 'e', 'track', 'web', 'App', null, '0', '2001:db8::1', '-0.5', '320', '2.50'],
        ...['9007199254740991', '1', 'tab\tand "quote"\\n', '{"n":1.5,"x":"é\\n"}', '{}'],
        '1772357400.123000 1440',
      ],
    ]);
  });

  it('isolates events that the server refuses, with its reason and without a value of theirs', async () => {
    const table = written.stage.at('_EVENTS');
    await written.stage.rows(`ALTER TABLE ${table} DROP COLUMN "CATEGORY"`);
    await written.stage.rows(`ALTER TABLE ${table} ADD COLUMN "CATEGORY" NUMBER(9,0)`);
    const batch = Array.from({ length: 20 }, (_, at) =>
      eventOf(`m${String(at)}`, at % 9 === 3 ? { category: 'secret' } : { category: '5' }),
    );
    const outcomes = await events.write(batch);
    const refused = outcomes.flatMap(({ refused: reason }, at) =>
      reason === undefined ? [] : [[at, reason] as const],
    );
    expect(refused.map(([at]) => at)).toEqual([3, 12]);
    for (const [, reason] of refused) expect(reason).not.toContain('secret');
    expect(await rows('1')).toHaveLength(18);
    expect(await written.stages()).toEqual([]);
  });

  it('gives an event the profile of its record, and leaves out who was erased', async () => {
    const { stage } = written;
    await stage.rows(
      `INSERT INTO ${stage.at('_IDENTITIES')} ("_ID", "_CONNECTION", "_PIPELINE", "_RECORD_ID", "_ANONYMOUS", "_UPDATED_AT", "_PROFILE_ID")
     VALUES (5, 'c', 'p', 'u', FALSE, CURRENT_TIMESTAMP(), 'profile')`,
    );
    await stage.rows(
      `INSERT INTO ${stage.at('_IDENTITY_KEYS')} ("KIND", "KEY", "MASK", "IDENTITY") VALUES ('k', '=c u', 0, 5)`,
    );
    const gone = eventOf('gone', { userId: 'gone' });
    const [record] = recordsOfEvent(gone);
    const hash = record === undefined ? '' : erasedHash(OPTIONS.keyedHash, record);
    await stage.rows(`INSERT INTO ${stage.at('_ERASED')} VALUES ('c', '${hash}')`);
    await events.write([eventOf('a'), gone, eventOf('u', { userId: 'u' })]);
    expect(await rows('"MESSAGE_ID", "PROFILE_ID"')).toEqual([
      ['a', null],
      ['u', 'profile'],
    ]);
  });
});
