import type { ConnectionId } from '@penstock/contracts';

/** The destination of the demo; undefined when there is no demo. */
export class DemoDestination {
  constructor(readonly connection: ConnectionId | undefined) {}
}
