/** One side of a comparison: runs once and returns its figure. */
export type Side = () => Promise<number>

/** What a comparison found; the ratio is the median of the rounds' own ratios. */
export interface Comparison {
  readonly ratio: number
  readonly lowest: number
  readonly highest: number
  readonly ours: number
  readonly yardstick: number
}

/**
 * Runs both sides alternately, each round in the opposite order of the one before, so that whatever else the machine
 * does meets both alike. Warm-up is the caller's.
 */
export async function compare (rounds: number, ours: Side, yardstick: Side): Promise<Comparison> {
  const pairs: Array<{ ours: number, yardstick: number }> = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await ours()
      pairs.push({ ours: first, yardstick: await yardstick() })
    } else {
      const first = await yardstick()
      pairs.push({ yardstick: first, ours: await ours() })
    }
  }
  const ratios = pairs.map(pair => pair.ours / pair.yardstick).sort(ascending)
  return {
    ratio: middle(ratios),
    lowest: ratios[0] as number,
    highest: ratios[ratios.length - 1] as number,
    ours: middle(pairs.map(pair => pair.ours)),
    yardstick: middle(pairs.map(pair => pair.yardstick))
  }
}

/** The median of some figures. */
export function middle (figures: readonly number[]): number {
  const sorted = [...figures].sort(ascending)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half] as number : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2
}

function ascending (a: number, b: number): number {
  return a - b
}
