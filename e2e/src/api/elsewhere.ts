/** Where a row is tested: a spec of one service with a clock of its own, and the title of the test in it. */
export type Elsewhere = readonly [spec: string, title: string];

const ORDER = 'services/api-gateway/src/http/order-of-checks.spec.ts';

/**
 * Rows that need no process, and whose time cannot be moved from outside of one: area → row. Their tests begin with a real
 * gateway, too, whose rate is spent or whose key has expired from the start.
 */
export const ELSEWHERE: Readonly<Record<string, Readonly<Record<string, Elsewhere>>>> = {
  organization: {
    'order of checks: rate before size, content type and content': [ORDER, 'rate, size'],
    'order of checks: workspace before rate': [ORDER, 'workspace, rate'],
    'a disabled one: its schedules stop': [
      'services/pipeline-service/src/runs/scheduler.spec.ts',
      'skips a slot for the reason %s',
    ],
  },
  pipelines: {
    'a run survives the death of its worker': [
      'e2e/src/faults-of-runs/faults.spec.ts',
      'go on at every stage when one executor freezes and another is killed, and the database too',
    ],
    'Set schedule: null keeps a slot from running': [
      'services/pipeline-service/src/runs/scheduler.spec.ts',
      'requests no run of a slot whose schedule was removed meanwhile',
    ],
  },
  keys: {
    'a key that has expired is 401': [ORDER, 'key, scope'],
  },
};
