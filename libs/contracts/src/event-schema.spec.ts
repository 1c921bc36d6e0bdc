import { eventCodec } from './event-schema';

it('keeps properties and traits to the letter', () => {
  const text =
    '{"connectionId":"c","anonymousId":"a","messageId":"m","properties":{"b":1.50,"1":12345678901234567890},' +
    '"receivedAt":"2026-01-02T03:04:05.678Z","sentAt":"2026-01-02T03:04:05Z","originalTimestamp":"2026-01-02T03:04:05Z",' +
    '"timestamp":"2026-01-02T03:04:05Z","traits":{},"type":"track"}';
  expect(eventCodec.encode(eventCodec.parse(text))).toBe(text);
});
