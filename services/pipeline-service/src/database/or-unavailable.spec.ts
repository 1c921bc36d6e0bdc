import { Refusal } from '@penstock/contracts';
import { orUnavailable } from './or-unavailable';

const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

it('refuses as unavailable what fails since the database is away', async () => {
  await expect(orUnavailable(Promise.reject(away))).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    kind: 'unavailable',
  });
});

it('leaves answers and other errors as they are', async () => {
  const other = new Refusal('ConnectionNotExist');
  await expect(orUnavailable(Promise.resolve(1))).resolves.toBe(1);
  await expect(orUnavailable(Promise.reject(other))).rejects.toBe(other);
});
