import type { ByteShare } from './byte-share';
import { unavailable } from './http-refusal';

/** The bytes that one request holds of a share. Its creator must release it, however the request ends. */
export class Holding {
  private bytes = 0;

  constructor(private share: ByteShare) {}

  /** @throws HttpRefusal ServiceUnavailable when the share is used up; the bytes held before stay held. */
  add(bytes: number): void {
    if (!this.share.take(bytes)) throw withoutRoom();
    this.bytes += bytes;
  }

  /** @param bytes must have been added before. */
  drop(bytes: number): void {
    this.share.giveBack(bytes);
    this.bytes -= bytes;
  }

  /**
   * Moves the bytes to another share.
   *
   * @throws HttpRefusal ServiceUnavailable when that share is used up; nothing is moved then.
   */
  moveTo(share: ByteShare): void {
    if (!share.take(this.bytes)) throw withoutRoom();
    this.share.giveBack(this.bytes);
    this.share = share;
  }

  /** Returns all bytes to the share. Idempotent. */
  release(): void {
    this.drop(this.bytes);
  }
}

const withoutRoom = (): Error => unavailable('too many request bodies are under way');
