import type { DemoTrail } from './demo-trail';

/** The demo of this process. */
export class Demo {
  /** @param trail undefined: there is no demo. */
  constructor(readonly trail: DemoTrail | undefined) {}
}
