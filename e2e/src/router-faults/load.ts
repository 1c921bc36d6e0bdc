import { eventually } from '../harness/eventually';
import type { RouterInstallation } from '../harness/router-installation';
import { miscounted } from './conservation';
import { FanOut } from './fan-out';
import type { FanOutEvent } from './fan-out-event';
import { FanOutSender, type FanOutSenderOptions } from './fan-out-sender';
import { findings, lost } from './findings';
import type { Plan } from './plan';
import { sized } from './sizes';

/** Retries of the last troubles, with their back-off. */
const DRAIN_MS = sized(90_000, 300_000);
/** A commit follows within a second; a view may be behind it. */
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

  /** In the order of their answers. */
  get accepted(): readonly FanOutEvent[] {
    return this.sender.accepted.map(({ event }) => event);
  }

  /** What was accepted and is not delivered yet although the plan says so. */
  missing(): string[] {
    const { plan, ledger } = this.fanOut;
    return lost({ plan, ledger, events: this.accepted });
  }

  /**
   * Waits until everything has come to the end that the plan says.
   *
   * @returns what is wrong: lost, not counted, counted wrongly, delivered against the plan or out of order.
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

  /** What a test prints. */
  get facts(): Readonly<Record<string, unknown>> {
    const { ledger } = this.fanOut;
    return {
      accepted: this.sender.accepted.length,
      deliveries: ledger.distinct,
      repeated: ledger.repeated,
      refused: Object.fromEntries(this.sender.refused),
    };
  }

  /** The installation is somewhere else: events go there from now on. */
  async moveTo(installation: RouterInstallation): Promise<void> {
    this.fanOut.installation = installation;
    await this.sender.moveTo(installation.gateways.map(({ address }) => address));
  }

  async close(): Promise<void> {
    await this.sender.close();
    await this.fanOut.close();
  }
}
