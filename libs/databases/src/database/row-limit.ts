import type { Duplex } from 'node:stream';
import { DatabaseFault } from './database-fault';

const MIB = 1_048_576;

/** The largest row that is read, in bytes as the server sends it. */
const MAX_ROW_BYTES = 128 * MIB;

/** Ends a connection on which a row comes that is too large to be held in memory. */
export class RowLimit {
  private bytes = 0;

  /** @param onExceeded is called at most once, right before the connection is destroyed. */
  constructor(
    stream: Duplex,
    onExceeded: (fault: DatabaseFault) => void,
    private readonly maxBytes = MAX_ROW_BYTES,
  ) {
    const count = (chunk: Buffer): void => {
      this.bytes += chunk.length;
      if (this.bytes <= this.maxBytes) return;
      stream.off('data', count);
      const mib = String(Math.floor(this.maxBytes / MIB));
      onExceeded(new DatabaseFault('InvalidQuery', `a row takes more than ${mib} MiB`));
      stream.destroy();
    };
    stream.on('data', count);
  }

  /** A row has come whole. */
  rowCame(): void {
    this.bytes = 0;
  }
}
