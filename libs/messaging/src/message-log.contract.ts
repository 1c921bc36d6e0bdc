import { itAppends } from './contract/append.contract';
import { itCloses } from './contract/close.contract';
import { itCompacts } from './contract/compaction.contract';
import { itSurvivesCrashes } from './contract/crash.contract';
import { itFollowsWithoutAGroup } from './contract/follow.contract';
import { itDeliversToGroups } from './contract/group.contract';
import { itHasAnIdentity } from './contract/identity.contract';
import type { LogHarness } from './contract/log-harness';
import { itKeepsLittleInMemory } from './contract/memory.contract';
import { itKnowsOffsets } from './contract/offsets.contract';
import { itOutlivesOutages } from './contract/outage.contract';
import { itReadsSinglePartitions } from './contract/partition-reader.contract';
import { itLeavesPositionsToTheCaller } from './contract/positions.contract';
import { itReadsStretches } from './contract/read.contract';
import { itSharesPartitions } from './contract/rebalance.contract';
import { itMakesTopics } from './contract/topics.contract';
import { itAppendsUnlessMoved } from './contract/unless-moved.contract';

/** Allows for a broker that reassigns a dead member's partitions only when its session has expired. */
const TEST_TIMEOUT_MS = 90_000;

const PROMISES: Readonly<Record<string, (harness: LogHarness) => void>> = {
  topics: itMakesTopics,
  identity: itHasAnIdentity,
  append: itAppends,
  'appending on a condition': itAppendsUnlessMoved,
  groups: itDeliversToGroups,
  'shared partitions': itSharesPartitions,
  'positions of the caller': itLeavesPositionsToTheCaller,
  'reading without a group': itFollowsWithoutAGroup,
  'reading single partitions': itReadsSinglePartitions,
  'reading stretches': itReadsStretches,
  offsets: itKnowsOffsets,
  compaction: itCompacts,
  memory: itKeepsLittleInMemory,
  outages: itOutlivesOutages,
  crashes: itSurvivesCrashes,
  closing: itCloses,
};

/** Requirements that every adapter of the port must meet. Each test makes topics and groups of its own. */
export const itKeepsTheMessageLogPromises = (harness: LogHarness): void => {
  jest.setTimeout(TEST_TIMEOUT_MS);
  for (const [subject, itKeepsItsPromises] of Object.entries(PROMISES))
    describe(subject, () => {
      itKeepsItsPromises(harness);
    });
};
