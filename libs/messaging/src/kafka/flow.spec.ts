import { Flow } from './flow';

const MEBIBYTE = 1_048_576;

const flowOf = (...bytes: number[]) => {
  const queues = bytes.map((held) => ({ bytes: held }));
  const flow = new Flow(new Map(queues.entries()));
  return { flow, queue: queues[0]! };
};

it.each([
  { others: 0, bytes: MEBIBYTE - 1, hasRoom: true, again: false },
  { others: 0, bytes: MEBIBYTE, hasRoom: false, again: false },
  { others: 0, bytes: MEBIBYTE / 2, hasRoom: true, again: false },
  { others: 0, bytes: MEBIBYTE / 2 - 1, hasRoom: true, again: true },
  { others: 16 * MEBIBYTE, bytes: 1, hasRoom: false, again: false },
  { others: 16 * MEBIBYTE - 2, bytes: 1, hasRoom: true, again: true },
  { others: 16 * MEBIBYTE, bytes: 0, hasRoom: true, again: true },
])(
  '$bytes bytes beside $others: room $hasRoom, again $again',
  ({ others, bytes, hasRoom, again }) => {
    const { flow, queue } = flowOf(bytes, others);
    expect([flow.hasRoom(queue), flow.hasRoomAgain(queue)]).toEqual([hasRoom, again]);
  },
);
