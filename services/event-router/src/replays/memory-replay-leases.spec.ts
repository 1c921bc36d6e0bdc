import { MemoryReplayLeases, MemoryReplays } from './memory-replay-leases';
import { itLeasesReplays, LEASE_MS } from './replay-leases.contract';

let nowMs = 0;
let replays = new MemoryReplays(() => nowMs);

beforeEach(() => {
  replays = new MemoryReplays(() => nowMs);
});

itLeasesReplays({
  open: (member) => new MemoryReplayLeases(replays, member, LEASE_MS),
  create: (replay) => Promise.resolve(replays.create(replay)),
  cancel: ({ id }) => Promise.resolve(replays.cancel(id)),
  pass: (ms) => {
    nowMs += ms;
    return Promise.resolve();
  },
  stored: ({ id }) => {
    const { state, reason, leased, differences } = replays.find(id)!;
    const { positions, counts } = leased;
    const offsets = differences.map(({ offset }) => offset);
    return Promise.resolve({
      state,
      reason,
      positions,
      events: counts.events,
      differences: offsets,
    });
  },
});
