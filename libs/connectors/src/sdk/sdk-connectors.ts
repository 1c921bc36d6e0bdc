import { checkedBy, members, readText, word } from '@penstock/settings';
import type { Connector } from '../connector/connector';

type IpPolicy = 'keep' | 'mask' | 'drop';
type Row = readonly [code: string, label: string, category: string, side: 'client' | 'server'];

const SDKS: readonly Row[] = [
  ['javascript', 'JavaScript', 'Website', 'client'],
  ['android', 'Android', 'Mobile', 'client'],
  ['ios', 'iOS', 'Mobile', 'client'],
  ['nodejs', 'Node.js', 'Server', 'server'],
  ['python', 'Python', 'Server', 'server'],
  ['go', 'Go', 'Server', 'server'],
  ['java', 'Java', 'Server', 'server'],
  ['dotnet', '.NET', 'Server', 'server'],
];

const form = members({
  name: 'ip',
  form: word('keep', 'mask', 'drop'),
  description:
    'What becomes of IP addresses: kept, masked to their network (/24, /48), or dropped.',
  default: 'keep',
});

/** Sources that receive events of SDKs. They differ in whether the request describes the user. */
export const sdkConnectors: readonly Connector[] = SDKS.map(
  ([code, label, category, side]): Connector => ({
    code,
    label,
    type: 'SDK',
    categories: [category],
    asSource: {
      targets: ['Event', 'User'],
      summary: `Receives events, and the users in them, from ${label} applications.`,
    },
    asDestination: null,
    settings: form,
    terms: null,
    checkSettings: checkedBy(form),
    eventSource: {
      clientSide: side === 'client',
      ipPolicy: (settings) => readText(settings, 'ip') as IpPolicy,
    },
  }),
);
