"""TAP for tests in Python: numbered results, the plan at the end."""
count = 0
failed = 0


def ok(held, name):
    global count, failed
    count += 1
    failed += not held
    print(f"{'' if held else 'not '}ok {count} - {name}", flush=True)
    return held


def skip(n, reason):
    global count
    for _ in range(n):
        count += 1
        print(f"ok {count} # SKIP {reason}", flush=True)


def done():
    """Print the plan; returns what the program should exit with."""
    print(f"1..{count}")
    return failed > 0
