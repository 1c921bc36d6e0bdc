import { type Follow, PrefixedLog, type Reader } from '@penstock/messaging';

/** A gateway's view of a shared log, whose readers can be made to hang. */
export class GatewayLog extends PrefixedLog {
  private resumed: Promise<void> = Promise.resolve();
  private release: () => void = () => undefined;

  /** Keeps records from reaching handlers until {@link goOn}. */
  hang(): void {
    this.resumed = new Promise((resolve) => (this.release = resolve));
  }

  goOn(): void {
    this.release();
  }

  override follow(follow: Follow): Promise<Reader> {
    return super.follow({
      ...follow,
      onBatch: async (...batch) => {
        await this.resumed;
        await follow.onBatch(...batch);
      },
    });
  }
}
