import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, parseSchema, printType } from '@penstock/schema';
import { EVENT_SCHEMA, eventCodec } from './event-schema';

it('is the schema that the conformance data names', () => {
  const file = join(__dirname, '../../../conformance/event-schema.json');
  const given = parseSchema(parseJson(readFileSync(file, 'utf8')));
  expect(printType(EVENT_SCHEMA)).toBe(printType(given));
});

it('keeps properties and traits to the letter', () => {
  const text =
    '{"connectionId":"c","anonymousId":"a","messageId":"m","properties":{"b":1.50,"1":12345678901234567890},' +
    '"receivedAt":"2026-01-02T03:04:05.678Z","sentAt":"2026-01-02T03:04:05Z","originalTimestamp":"2026-01-02T03:04:05Z",' +
    '"timestamp":"2026-01-02T03:04:05Z","traits":{},"type":"track"}';
  expect(eventCodec.encode(eventCodec.parse(text))).toBe(text);
});
