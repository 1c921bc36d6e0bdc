/** Milliseconds without a byte after which a transfer of a file ends. Source: delivery and runs, transfers of files. */
export const IDLE_MS = 60_000;
