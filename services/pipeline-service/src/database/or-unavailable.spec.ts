import { Refusal } from '@penstock/contracts';
import { orUnavailable } from './or-unavailable';

const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

it('refuses with ServiceUnavailable when the database is unavailable', async () => {
  await expect(orUnavailable(Promise.reject(away))).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    kind: 'unavailable',
  });
});

it('returns results and other errors unchanged', async () => {
  const other = new Refusal('ConnectionNotExist');
  await expect(orUnavailable(Promise.resolve(1))).resolves.toBe(1);
  await expect(orUnavailable(Promise.reject(other))).rejects.toBe(other);
});
