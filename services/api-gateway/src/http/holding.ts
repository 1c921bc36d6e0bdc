import type { ByteShare } from './byte-share';
import { unavailable } from './http-refusal';

/** The bytes that one request holds of a share. Whoever makes one releases it, however the request ends. */
export class Holding {
  private bytes = 0;

  constructor(private share: ByteShare) {}

  /** @throws HttpRefusal ServiceUnavailable when the share has no room; what was held before still is. */
  add(bytes: number): void {
    if (!this.share.take(bytes)) throw withoutRoom();
    this.bytes += bytes;
  }

  /** @param bytes that were added before. */
  drop(bytes: number): void {
    this.share.giveBack(bytes);
    this.bytes -= bytes;
  }

  /**
   * Holds the same of another share from now on.
   *
   * @throws HttpRefusal ServiceUnavailable when that one has no room; nothing has moved then.
   */
  moveTo(share: ByteShare): void {
    if (!share.take(this.bytes)) throw withoutRoom();
    this.share.giveBack(this.bytes);
    this.share = share;
  }

  /** Gives everything back. Twice is as once. */
  release(): void {
    this.drop(this.bytes);
  }
}

const withoutRoom = (): Error => unavailable('too many request bodies are under way');
