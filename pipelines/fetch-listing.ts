/** What the fetch under way has in its list: a redirect to such a URL is not followed at once, since the list fetches it, once and in its turn. */
export class FetchListing {
  #has: (url: string) => boolean = () => false

  /** Sets the list that counts from now on. */
  use(has: (url: string) => boolean): void {
    this.#has = has
  }

  has(url: string): boolean {
    return this.#has(url)
  }
}
