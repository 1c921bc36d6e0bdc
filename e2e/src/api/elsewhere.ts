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
  },
  keys: {
    'a key that has expired is 401': [ORDER, 'key, scope'],
  },
};
