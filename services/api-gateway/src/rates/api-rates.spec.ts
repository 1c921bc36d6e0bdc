import { ApiRates } from './api-rates';

const MS = 1_000_000;
const rate = (burst: number) => ({ perSecond: 1, burst });

it('admits a key while it has requests left', () => {
  const rates = new ApiRates({ key: rate(2), organization: rate(100) });
  expect(rates.take('k', 'o', MS)).toMatchObject({ isLetIn: true, burst: 2, remaining: 1 });
  expect(rates.take('k', 'o', MS)).toMatchObject({ isLetIn: true, burst: 2, remaining: 0 });
  expect(rates.take('k', 'o', MS)).toMatchObject({ isLetIn: false, waitSeconds: 1 });
  expect(rates.take('other', 'o', MS)).toMatchObject({ isLetIn: true });
});

it('admits all keys of an organization while it has requests left', () => {
  const rates = new ApiRates({ key: rate(100), organization: rate(2) });
  expect(rates.take('a', 'o', MS)).toMatchObject({ isLetIn: true, burst: 2, remaining: 1 });
  expect(rates.take('b', 'o', MS)).toMatchObject({ isLetIn: true, burst: 2, remaining: 0 });
  expect(rates.take('c', 'o', MS)).toMatchObject({ isLetIn: false, burst: 2 });
  expect(rates.take('d', 'another', MS)).toMatchObject({ isLetIn: true });
});

it('charges the organization nothing for a key that has none left', () => {
  const rates = new ApiRates({ key: rate(1), organization: rate(2) });
  rates.take('k', 'o', MS);
  rates.take('k', 'o', MS);
  expect(rates.take('other', 'o', MS)).toMatchObject({ isLetIn: true });
});
