import { itKeepsAlerts } from './contract/alerts.contract';
import { itForgetsAudiences } from './contract/audiences.contract';
import { itTellsWhatIsUnbalanced } from './contract/balance.contract';
import { itCommitsOnce } from './contract/commit.contract';
import { itCounts } from './contract/counts.contract';
import { itKeepsDeliveries } from './contract/deliveries.contract';
import { itKeepsJobs } from './contract/jobs.contract';
import { itSharesLanes } from './contract/lanes.contract';
import { itRollsUp } from './contract/roll-up.contract';
import { itSharesPartitions } from './contract/leases.contract';
import { itKnowsItsLog } from './contract/log.contract';
import { itSharesObservations } from './contract/observations.contract';
import { itTellsOutcomes } from './contract/outcomes.contract';
import { itRedrives } from './contract/redrives.contract';
import { itDeliversReplays } from './contract/replays.contract';
import { itRecordsTraces } from './contract/traces.contract';
import { itRestores } from './contract/restore.contract';
import { itCountsTimes } from './contract/times.contract';
import type { StoreHarness } from './contract/store-harness';

/**
 * The contract of all adapters of the port. Each test begins with an empty database.
 *
 * @param runs number of random sequences of commits; the pauses of a lane are ten times as many.
 */
export const itKeepsTheRouterStorePromises = (harness: StoreHarness, runs: number): void => {
  describe('leases', () => {
    itSharesPartitions(harness);
  });
  describe('commits', () => {
    itCommitsOnce(harness);
  });
  describe('progress', () => {
    itRestores(harness, runs);
  });
  describe('stored deliveries', () => {
    itKeepsDeliveries(harness);
  });
  describe('lanes', () => {
    itSharesLanes(harness, runs);
  });
  describe('observations', () => {
    itSharesObservations(harness);
  });
  describe('counts', () => {
    itCounts(harness);
  });
  describe('times', () => {
    itCountsTimes(harness);
  });
  describe('roll-up', () => {
    itRollsUp(harness, runs);
  });
  describe('audiences', () => {
    itForgetsAudiences(harness);
  });
  describe('balance', () => {
    itTellsWhatIsUnbalanced(harness);
  });
  describe('outcomes', () => {
    itTellsOutcomes(harness);
  });
  describe('traces', () => {
    itRecordsTraces(harness);
  });
  describe('jobs', () => {
    itKeepsJobs(harness);
  });
  describe('redrives', () => {
    itRedrives(harness);
  });
  describe('alerts', () => {
    itKeepsAlerts(harness);
  });
  describe('replays', () => {
    itDeliversReplays(harness);
  });
  describe('the log', () => {
    itKnowsItsLog(harness);
  });
};
