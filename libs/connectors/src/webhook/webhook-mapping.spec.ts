import { Invalid, parseJson } from '@penstock/schema';
import type { Settings } from '../connector/connector';
import { badPaths } from '../settings-table.fixture';
import { webhookConnector } from './webhook-connector';

const settingsFrom = (plain: object): Settings =>
  webhookConnector.checkSettings(parseJson(JSON.stringify(plain)), 'Source');

const toEvent = (mapping: Record<string, string>, body: string) =>
  webhookConnector.eventSource?.toEvent?.(
    {
      body: Buffer.from(body),
      headers: { 'x-event': 'Order Paid', 'set-cookie': ['a', 'b'] },
      query: new Map([['user', 'user-1']]),
    },
    settingsFrom({ mapping }),
  );

it.each<[Record<string, string>, string, string]>([
  [
    { type: '"track"', event: 'headers["x-event"]', userId: 'query.user', properties: 'body' },
    '{"total":1.50, "id":12345678901234567890}',
    '{"event":"Order Paid","properties":{"total":1.50,"id":12345678901234567890},"type":"track","userId":"user-1"}',
  ],
  [{ userId: 'body.id' }, '{"id":7}', '{"userId":"7"}'],
  [{ userId: 'body.id', name: 'query.none' }, '{}', '{}'],
  [
    { 'context.ip': 'body.ip', 'context.screen.width': 'body.width' },
    '{"ip":"1.2.3.4","width":"wide"}',
    '{"context":{"ip":"1.2.3.4","screen":{"width":"wide"}}}',
  ],
  [{ timestamp: 'body.at' }, '{"at":"yesterday"}', '{"timestamp":"yesterday"}'],
  [{ name: 'headers["set-cookie"]' }, 'null', '{"name":"a, b"}'],
])('%j of %s is %s', (mapping, body, event) => {
  const json: unknown = JSON.parse(toEvent(mapping, body) ?? '');
  expect(json).toEqual(JSON.parse(event));
});

it('keeps every digit', () => {
  expect(toEvent({ properties: 'body' }, '{"n": 1.50, "m": 12345678901234567890}')).toBe(
    '{"properties":{"n":1.50,"m":12345678901234567890}}',
  );
});

it('takes the body as it is without a mapping', () => {
  const request = { body: Buffer.from('{}'), headers: {}, query: new Map<string, string>() };
  expect(webhookConnector.eventSource?.toEvent?.(request, settingsFrom({}))).toBeUndefined();
});

it.each([
  ['a body that is not JSON', { properties: 'body' }, '{'],
  ['an expression that fails', { userId: 'body.a.b' }, '{"a":1}'],
  ['a value that does not fit', { userId: 'body' }, '{}'],
])('refuses %s', (_, mapping, body) => {
  expect(() => toEvent(mapping as Record<string, string>, body)).toThrow(Invalid);
});

it.each<[string[], unknown]>([
  [[], { type: '"track"', 'context.page.url': 'body.url' }],
  [['/mapping'], {}],
  [['/mapping'], 'body'],
  [['/mapping/type'], { type: 1 }],
  [['/mapping/type'], { type: 'nothing' }],
  [['/mapping/type', '/mapping/name'], { type: 'body.', event: 'body', name: '' }],
  [['/mapping/receivedAt'], { receivedAt: 'body' }],
  [['/mapping/connectionId'], { connectionId: 'body' }],
  [['/mapping/a~1b'], { 'a/b': 'body' }],
])('has %j wrong in %j', (paths, mapping) => {
  expect(badPaths(webhookConnector, { mapping })).toEqual(paths);
});
