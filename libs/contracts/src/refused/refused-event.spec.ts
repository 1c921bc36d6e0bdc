import type { ConnectionId, Instant, WorkspaceId } from '../ids';
import { readRefusedEvent, type RefusedEvent, writeRefusedEvent } from './refused-event';

const REFUSED: RefusedEvent = {
  id: 'refused000000001',
  workspace: 'workspace0000001' as WorkspaceId,
  source: 'source0000000001' as ConnectionId,
  at: '2026-03-01T09:30:00.000Z' as Instant,
  index: 3,
  messageId: null,
  code: 'InvalidEvent',
  path: '/type',
  reason: 'is required',
  users: [],
  sealed: null,
  isCut: false,
  count: 1,
};

it('is read as it was written', () => {
  expect(readRefusedEvent(writeRefusedEvent(REFUSED))).toEqual(REFUSED);
});

it.each([
  null,
  '',
  'null',
  '{}',
  JSON.stringify({ form: 2, ...REFUSED }),
  JSON.stringify({ form: 1, ...REFUSED, code: 7 }),
  JSON.stringify({ form: 1, ...REFUSED, users: 'all' }),
])('is not read from %p', (value) => {
  expect(readRefusedEvent(value)).toBeUndefined();
});
