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
  ...[
    ...[{ id: 'a\0b' }, { id: 'x'.repeat(256) }, { source: null }, { at: '2026-02-30' }],
    ...[{ at: '2026-13-01T00:00:00.000Z' }, { index: -1 }, { index: 0.5 }, { messageId: 7 }],
    ...[{ path: null }, { users: ['a\0b'] }, { users: [7] }, { sealed: 'a\0b' }, { isCut: 1 }],
    ...[{ count: 2_147_483_648 }, { count: null }],
  ].map((members) => JSON.stringify({ form: 1, ...REFUSED, ...members })),
])('is not read from %p', (value) => {
  expect(readRefusedEvent(value)).toBeUndefined();
});
