/**
 * Flags of node for every service. Most events die within milliseconds: a larger young generation collects them at
 * almost no cost. The old generation is collected when it has doubled instead of quadrupled: a third less memory for a
 * twentieth more CPU. One worker thread for garbage collection: on two processors, four of them delay the main thread
 * by tens of milliseconds. NODE_OPTIONS cannot carry them: node accepts the second one on its command line only.
 */
export const NODE_FLAGS = [
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--v8-pool-size=1',
];
