import { PENSTOCK_VARIABLES } from './penstock-variables';
import { readPenstockConfig } from './read-penstock-config';
import { ConfigurationError } from './read-config';

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readPenstockConfig(env, {}, { folder: '/nonexistent' });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
};

it.each([
  ['PENSTOCK_PROT', ': did you mean PENSTOCK_PORT?'],
  ['PENSTOCK_OPSPORT', ': did you mean PENSTOCK_OPS_PORT?'],
  ['PENSTOCK_port', ': did you mean PENSTOCK_PORT?'],
  ['PENSTOCK_SECERT_FILE', ': did you mean PENSTOCK_SECRET_FILE?'],
  ['PENSTOCK_MAX_KEY', ': did you mean PENSTOCK_MAX_KEYS?'],
  ['PENSTOCK_WHATEVER', ''],
  ['PENSTOCK_', ''],
])('refuses %s%s', (name, advice) => {
  expect(faultsOf({ [name]: 'hush' })).toEqual([`${name} is not a variable of Penstock${advice}`]);
});

it.each([
  ['of another service', { PENSTOCK_MAX_KEYS: 'checked by the service that reads it' }],
  ['that name a file for another service', { PENSTOCK_MAX_KEYS_FILE: '/run/max-keys' }],
  ['that are set to nothing', { PENSTOCK_PROT: '' }],
  ['of other programs', { PENSTOCKPORT: '1', MY_PENSTOCK_PORT: '1', KAFKA_BROKER: '1' }],
])('accepts variables %s', (_, env) => {
  expect(faultsOf(env)).toEqual([]);
});

describe('variables that Kubernetes sets for services', () => {
  it.each([
    ['PENSTOCK_GATEWAY_SERVICE_HOST', '10.0.0.1'],
    ['PENSTOCK_GATEWAY_SERVICE_PORT', '80'],
    ['PENSTOCK_GATEWAY_SERVICE_PORT_HTTP', '80'],
    ['PENSTOCK_GATEWAY_PORT', 'tcp://10.0.0.1:80'],
    ['PENSTOCK_GATEWAY_PORT_80_TCP', 'tcp://10.0.0.1:80'],
    ['PENSTOCK_GATEWAY_PORT_80_TCP_ADDR', '10.0.0.1'],
  ])('accepts %s', (name, value) => expect(faultsOf({ [name]: value })).toEqual([]));

  it('refuses a port that only resembles them', () => {
    expect(faultsOf({ PENSTOCK_OPT_PORT: '9091' })).toEqual([
      'PENSTOCK_OPT_PORT is not a variable of Penstock: did you mean PENSTOCK_OPS_PORT?',
    ]);
  });
});

it('names unknown variables beside bad values', () => {
  const faults = faultsOf({ PENSTOCK_PORT: 'x', PENSTOCK_PROT: '1' });
  expect(faults).toEqual([
    expect.stringMatching(/^PENSTOCK_PORT must be/),
    expect.stringMatching(/^PENSTOCK_PROT is not/),
  ]);
});

it('lets a service have another default of its own', () => {
  const own = { PENSTOCK_DRAIN_SECONDS: PENSTOCK_VARIABLES.PENSTOCK_DRAIN_SECONDS.or(0) };
  const folder = '/nonexistent';
  expect(readPenstockConfig({}, own, { folder }).PENSTOCK_DRAIN_SECONDS).toBe(0);
  expect(readPenstockConfig({}, {}, { folder }).PENSTOCK_DRAIN_SECONDS).toBe(5);
});
