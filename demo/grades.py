"""Averages the grades of each course. Crashes for a course that certainly has grades: why?"""

ENROLLED = [
    {"student": "Ada", "course": 101},
    {"student": "Grace", "course": 101},
    {"student": "Linus", "course": 202},
]

GRADES = [
    {"student": "Ada", "course": "101", "grade": 95},
    {"student": "Grace", "course": "101", "grade": 88},
    {"student": "Linus", "course": "202", "grade": 61},
]


def average(course):
    marks = [row["grade"] for row in GRADES if row["course"] == course]
    total = sum(marks)
    return total / len(marks)


def report():
    for course in sorted({row["course"] for row in ENROLLED}):
        print("course", course)
        print("average", average(course))


if __name__ == "__main__":
    report()
