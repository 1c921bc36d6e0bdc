import { eventCodec } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { EventWriter } from '../../platform/event-writer';
import { eventOf, itWritesEvents, type ShownEvent } from '../../platform/event-writer.contract';
import { MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import type { WarehouseWriter } from '../../platform/warehouse-writer';
import { SCHEMA } from '../stage.fixture';
import { writtenStage, type WrittenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

const TIME = '2026-03-01T09:30:00.123Z';

describe('a warehouse on PostgreSQL', () => {
  itWritesEvents(async (owner) => {
    const stage = await writtenStage(owner);
    return {
      ...stage,
      events: async () => {
        const all = await stage.stage.rows(
          `SELECT connection_id AS connection, message_id AS "messageId", event
           FROM ${SCHEMA}.events ORDER BY message_id COLLATE "C"`,
        );
        return all as readonly ShownEvent[];
      },
    };
  });
});

let written: WrittenStage;
let writer: WarehouseWriter;
let events: EventWriter;

beforeEach(async () => {
  written = await writtenStage(MINE);
  writer = await written.open(OPTIONS);
  events = await writer.beginEvents({ role: 'events', epoch: 1 });
});
afterEach(async () => {
  await writer.close();
  await written.close();
});

const withProperties = (messageId: string, properties: string): RecordValue =>
  eventCodec.parse(
    `{"connectionId":"c","anonymousId":"a","messageId":"${messageId}","type":"track","event":"e","receivedAt":"${TIME}",` +
      `"sentAt":"${TIME}","originalTimestamp":"${TIME}","timestamp":"${TIME}","traits":{},"properties":${properties}}`,
  );

const rows = (columns: string) =>
  written.stage.rows(`SELECT ${columns} FROM ${SCHEMA}.events ORDER BY message_id COLLATE "C"`);

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
    await rows(`profile_id, user_id, event, type, channel, context_app_name, context_app_build,
      context_device_ad_tracking_enabled AS tracking, host(context_ip) AS ip, context_location_latitude AS latitude,
      context_screen_width AS width, context_screen_density AS density, context_session_id AS session,
      context_session_start AS start, context_user_agent AS agent, properties, traits,
      to_char("timestamp" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS at`),
  ).toEqual([
    {
      ...{ profile_id: null, user_id: 'u', event: 'e', type: 'track', channel: 'web' },
      ...{ context_app_name: 'App', context_app_build: null, tracking: false, ip: '2001:db8::1' },
      ...{ latitude: -0.5, width: 320, density: '2.50', session: '9007199254740991', start: true },
      ...{ agent: 'tab\tand "quote"\\n', properties: { n: 1.5, x: 'é\n' }, traits: {} },
      at: '2026-03-01 09:30:00.123',
    },
  ]);
});

it('isolates events that the server refuses, with its reason and without a value of theirs', async () => {
  const long = 'secret '
    .repeat(2_000)
    .split('')
    .sort(() => Math.random() - 0.5)
    .join('');
  const batch = Array.from({ length: 50 }, (_, at) => eventOf(`m${at}`));
  batch[7] = withProperties('bad1', '{"secret":1e200000}');
  batch[8] = withProperties('bad2', '{"secret":-1e-200000}');
  batch[31] = eventOf('bad3', { userId: long });
  const outcomes = await events.write(batch);
  expect(outcomes.filter(({ refused }) => refused === undefined)).toHaveLength(47);
  const reasons = [7, 8, 31].map((at) => outcomes[at]?.refused ?? '');
  for (const reason of reasons) {
    expect(reason).not.toBe('');
    expect(reason).not.toContain('secret');
  }
  expect(reasons[0]).toMatch(/^properties: the numbers have too many digits/);
  expect(reasons[2]).toContain('index row');
  expect(await rows('1')).toHaveLength(47);
  expect(await written.stages()).toEqual([]);
});
