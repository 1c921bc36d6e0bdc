import { isIP, Socket } from 'node:net';
import { type EgressRules, egressRules } from './egress-rules';
import { EgressRefused, guardedLookup, systemResolve } from './guarded-lookup';

/** A server as settings name it. */
export interface TrustedServer {
  readonly host: string;
  readonly port: number;
}

/** Makes sockets that connect only to addresses that are allowed. Abstract class: the port and its DI token in one. */
export abstract class GuardedSockets {
  /**
   * A socket that is not connected yet. Whatever it is told to connect to, it connects to this server, if the address
   * is allowed, and fails with `EgressRefused` otherwise.
   */
  abstract to(server: TrustedServer): Socket;
}

class RuledSockets extends GuardedSockets {
  private readonly lookup;

  constructor(
    private readonly rules: EgressRules,
    private readonly trusted: readonly TrustedServer[],
  ) {
    super();
    this.lookup = guardedLookup(rules, systemResolve);
  }

  override to({ host, port }: TrustedServer): Socket {
    const socket = new Socket();
    if (this.trusted.some((each) => each.host === host && each.port === port)) return socket;
    const connect = socket.connect.bind(socket);
    // The address is decided here, whatever the caller passes.
    socket.connect = () => {
      if (isIP(host) === 0 || this.rules.allows(host))
        return connect({ host, port, lookup: this.lookup });
      process.nextTick(() => socket.destroy(new EgressRefused()));
      return socket;
    };
    return socket;
  }
}

/**
 * Sockets by the rules of egress.
 *
 * @param allow CIDR ranges that are allowed beside public addresses.
 * @param trusted may be connected to wherever they are.
 * @throws RangeError on a range that is not a CIDR range.
 */
export const createGuardedSockets = (
  allow: readonly string[],
  trusted: readonly TrustedServer[] = [],
): GuardedSockets => new RuledSockets(egressRules(allow), trusted);
