import { eventually } from '../harness/eventually';
import type { RouterInstallation } from '../harness/router-installation';
import { miscounted } from './conservation';
import { FanOut } from './fan-out';
import type { FanOutEvent } from './fan-out-event';
import { FanOutSender, type FanOutSenderOptions } from './fan-out-sender';
import { findings, lost } from './findings';
import type { Plan } from './plan';

/** Time limit for the retries of the last troubles, with back-off. */
const DRAIN_MS = 300_000;
/** Time limit for the counts to be complete after the last delivery. */
const COUNT_MS = 15_000;

/** A fan-out with its sender, for one test. */
export class Load {
  private constructor(
    readonly fanOut: FanOut,
    readonly sender: FanOutSender,
  ) {}

  static async open(
    installation: RouterInstallation,
    options: FanOutSenderOptions,
    plan?: Plan,
  ): Promise<Load> {
    const fanOut = await FanOut.open(installation, plan);
    return new Load(fanOut, new FanOutSender(fanOut, options));
  }

  /** Accepted events, in the order of the answers. */
  get accepted(): readonly FanOutEvent[] {
    return this.sender.accepted.map(({ event }) => event);
  }

  /** Accepted events that should be delivered by the plan and are not yet. */
  missing(): string[] {
    const { plan, ledger } = this.fanOut;
    return lost({ plan, ledger, events: this.accepted });
  }

  /**
   * Waits until everything has ended as planned.
   *
   * @returns the differences: lost, miscounted, delivered against the plan or out of order.
   */
  async wrong(): Promise<readonly string[]> {
    const missing = await eventually(() => this.missing(), DRAIN_MS);
    if (missing.length > 0) return [...missing, ...(await miscounted(this.fanOut))];
    const { plan, ledger } = this.fanOut;
    return [
      ...(await eventually(() => miscounted(this.fanOut), COUNT_MS)),
      ...findings({ plan, ledger, events: this.accepted }),
    ];
  }

  /** Facts for the output of a test. */
  get facts(): Readonly<Record<string, unknown>> {
    const { ledger } = this.fanOut;
    return {
      accepted: this.sender.accepted.length,
      deliveries: ledger.distinct,
      repeated: ledger.repeated,
      refused: Object.fromEntries(this.sender.refused),
    };
  }

  /** Continues with another installation. */
  async moveTo(installation: RouterInstallation): Promise<void> {
    this.fanOut.installation = installation;
    await this.sender.moveTo(installation.gateways.map(({ address }) => address));
  }

  async close(): Promise<void> {
    await this.sender.close();
    await this.fanOut.close();
  }
}
